"""Jobs: flows carried out once, with their counters, alarms, telemetry, and how the lake stands."""
