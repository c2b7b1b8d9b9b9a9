#!/usr/bin/env -S node --no-warnings
// Runs the TypeScript as it is; nothing has to be installed but Node 24.
import '../src/main.ts'
