#!/bin/sh
# Makes the base image of the Dockerfile from Debian packages and npm, for machines without an image registry:
# infra/image/base.sh base && docker build -f infra/Dockerfile --build-arg BASE=base -t status-page .
# Needs mmdebstrap, docker, npm and the rights of root.
set -eu
tag=$1
suite=${SUITE:-bookworm}
here=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$here/.node-version")
case $(uname -m) in
  x86_64) architecture=x64 ;;
  aarch64) architecture=arm64 ;;
  *) echo "Node has no npm package for $(uname -m)." >&2; exit 1 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mmdebstrap --variant=minbase --include=ca-certificates "$suite" root.tar
docker import -c 'CMD ["bash"]' root.tar "$tag-debian" >/dev/null

npm pack --silent "node-linux-$architecture@$version" npm@11 >/dev/null
tar -xzf node-linux-*.tgz package/bin/node && mv package/bin/node node
rm -r package && tar -xzf npm-*.tgz && mv package npm
# Certificate authorities of this machine, which a proxy of its network may need.
cp /etc/ssl/certs/ca-certificates.crt .
cat >Dockerfile <<TEXT
FROM $tag-debian
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \\
 && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
TEXT
docker build --quiet --tag "$tag" .
