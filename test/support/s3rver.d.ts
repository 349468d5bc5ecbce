declare module "@20minutes/s3rver" {
  /** A small S3 server that stores objects as files. */
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    run: () => Promise<{ port: number }>;
    httpServer: { close: () => void; closeAllConnections: () => void };
  }
}
