-- What a former key has sealed is sealed anew, in all organizations.

GRANT UPDATE (headers) ON targets TO monitor_due;
