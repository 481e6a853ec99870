#!/usr/bin/env node
// A file of its own, so that npm can link the command at install, before anything is built.
import '../dist/cli/main.js';
