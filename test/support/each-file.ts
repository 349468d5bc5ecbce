// The test runner loads this file before each spec file.
import "./child-processes.ts";
import "./property-seed.ts";
