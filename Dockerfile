# Tally as an image: `docker build -t tallyjob .`, then `tally install --image tallyjob`.
FROM node:20-bookworm-slim AS build
WORKDIR /tally
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY scripts scripts
COPY schema schema
COPY src src
RUN npm ci --no-audit --no-fund && node scripts/setup.mjs && npm prune --omit=dev

FROM node:20-bookworm-slim
WORKDIR /tally
ENV NODE_ENV=production
COPY --from=build /tally/package.json ./
COPY --from=build /tally/node_modules node_modules
COPY --from=build /tally/dist dist
COPY schema schema
COPY deploy deploy
COPY LICENSE ./
USER 65532:65532
ENTRYPOINT ["node", "/tally/dist/main.js"]
CMD ["controller", "--leader-elect"]
