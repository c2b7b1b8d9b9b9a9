#!/bin/sh
# Removes what no running service reads: packages of the repository without a service in them, and of installed packages
# the declarations, source maps, documents, tests, and weights of fonts that no image uses.
set -eu
cd /app
rm -r e2e infra/image patches packages/cli packages/client packages/dashboard packages/testing
find packages services -path '*/node_modules' -prune -o -type f \( -name '*.test.ts' -o -name '*.fixture.ts' \) -exec rm {} +

find node_modules/.pnpm -type f \
  \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' -o -name '*.markdown' \) \
  ! -iname 'license*' ! -iname 'notice*' -delete
# Folders of tests, and of the browser's build of moment, directly in a package.
find node_modules/.pnpm -type d \
  \( -name test -o -name tests -o -name __tests__ -o -name benchmark -o -name coverage -o -path '*/moment/min' \) \
  -regextype posix-extended -regex '.*/node_modules/(@[^/]+/)?[^/]+/[^/]+' -prune -exec rm -r {} +

# services/core/src/fonts.ts names the files in use.
fonts=services/core/node_modules/@expo-google-fonts
(cd "$fonts" && find -L . -name '*.ttf') | sed 's#^\./##' | while read -r font; do
  grep -q "@expo-google-fonts/$font'" services/core/src/fonts.ts || rm "$fonts/$font"
done
