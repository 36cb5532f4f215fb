"""Tables, figures and one self-contained HTML page from what the other stages wrote."""
