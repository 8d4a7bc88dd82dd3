#!/bin/sh
# Debian's package manager names what it does; rpm counts the versions that are left.
set -e

case "$1" in
remove | 0)
    # rpm only removes the folders that a package lists, and the bundler lists none of these.
    rm -rf /usr/lib/Askdesk /usr/share/doc/askdesk
    echo "Askdesk is removed. Your sessions and settings are still in"
    echo "~/.local/share/io.github.askdesk of each user who ran it; delete that folder"
    echo "to delete them. If other programs were connected to Askdesk, their settings"
    echo "still name it."
    ;;
esac
