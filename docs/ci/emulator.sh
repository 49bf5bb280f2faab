#!/bin/sh
# Starts the emulator from its snapshot, which the first call makes. Keep $ANDROID_AVD_HOME.
set -e
: "${ANDROID_AVD_HOME:=$HOME/.android/avd}"
export ANDROID_AVD_HOME
start() { emulator -avd ci -no-window -noaudio -no-boot-anim -gpu swiftshader_indirect "$@"; }
if ! test -f "$ANDROID_AVD_HOME/ci.made"; then
  rm -rf "$ANDROID_AVD_HOME/ci.avd" "$ANDROID_AVD_HOME/ci.ini" # half of one
  echo no | avdmanager create avd -n ci -d pixel_6 -k 'system-images;android-34;google_apis;x86_64'
  start &
  taploop devices --wait --boot --timeout 10m
  adb emu kill # which saves the snapshot
  wait
  touch "$ANDROID_AVD_HOME/ci.made"
fi
mkdir -p out
rm -rf "$ANDROID_AVD_HOME"/ci.avd/*.lock # of an emulator that was killed
start -no-snapshot-save > out/emulator.log 2>&1 &
taploop devices --wait --boot --timeout 3m
