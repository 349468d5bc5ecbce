// The runner loads this file before each file of specs.
import "./child-processes.ts";
import "./property-seed.ts";
