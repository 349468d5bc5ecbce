# The service and its command line in an image: docker build --tag svc .
# Both stages start from one version of Node. A release names the image by its digest: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund \
 && node --conditions=svc-source distribution/image/stage.ts /app

FROM ${NODE_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="svc" \
      org.opencontainers.image.description="Tests and monitors voice agents" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
COPY --from=build /app .
RUN ln --symbolic /app/packages/cli/bin/svc.js /usr/local/bin/svc \
 && install --directory --owner=node --group=node --mode=0700 /data
USER node
# The settings of the allocator: by default it keeps freed memory, about 100 MB under load.
ENV NODE_ENV=production \
    SVC_HOST=0.0.0.0 \
    SVC_DATA_DIR=/data \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=1048576 \
    MALLOC_TRIM_THRESHOLD_=1048576
EXPOSE 3100
VOLUME /data
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3100}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# One port serves both the API and the pages, also where the platform sets PORT.
ENTRYPOINT ["sh", "-c", "SVC_WEB_PORT=${SVC_WEB_PORT:-${PORT:-3100}} exec svc \"$@\"", "svc"]
CMD ["serve"]
