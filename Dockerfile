# Tally as an image: `docker build -t tallyjob .`, then `tally install --image tallyjob`.
# Any image with Node 20.15 or newer, npm and a shell will do:
#   docker build --build-arg BASE=registry.example.com/node:20 -t tallyjob .
ARG BASE=docker.io/library/node:20-bookworm-slim

# What is used is installed anew only when it changes, not with every change of the sources.
FROM ${BASE} AS packages
WORKDIR /tally
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM packages AS build
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
RUN node scripts/setup.mjs

FROM ${BASE}
WORKDIR /tally
ENV NODE_ENV=production
COPY --from=packages /tally/node_modules node_modules
COPY --from=build /tally/dist dist
COPY package.json LICENSE ./
COPY schema schema
COPY deploy deploy
USER 65532:65532
ENTRYPOINT ["node", "/tally/dist/main.js"]
CMD ["controller", "--leader-elect"]
