"""The hard pieces, once each: everything here is torch, and none of it knows a system or a stage."""
