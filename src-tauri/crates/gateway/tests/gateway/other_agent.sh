#!/bin/sh
echo "9.0.120 (Claude Code)"
