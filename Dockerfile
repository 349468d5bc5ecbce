# The service in an image: docker build --tag svc .
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund \
 && npm run build --workspace @svc/web \
 && npm ci --omit=dev --workspace @svc/server --include-workspace-root=false --no-audit --no-fund \
 && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src packages/cli packages/web/src

FROM node:24-bookworm-slim
WORKDIR /app
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/packages/contract packages/contract
COPY --from=build /src/packages/server packages/server
COPY --from=build /src/packages/web/dist pages
RUN install --directory --owner=node --group=node --mode=0700 /data
USER node
# The settings of the allocator: by default it keeps freed memory, about 100 MB under load.
ENV NODE_ENV=production \
    SVC_HOST=0.0.0.0 \
    SVC_DATA_DIR=/data \
    SVC_WEB_PORT=3100 \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=1048576 \
    MALLOC_TRIM_THRESHOLD_=1048576
EXPOSE 3100
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3100/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/bin/svc-server.js"]
CMD ["serve", "--pages", "/app/pages"]
