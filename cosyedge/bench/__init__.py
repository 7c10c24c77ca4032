"""`cosyedge bench`. This imports nothing: parts are measured in processes that have only what they need."""
