/** What a client shows of itself in TLS, and whom it trusts. Taken by transports and by the fetches of discovery alike. */

/** A client certificate with its key, and the authorities to trust, each as PEM. */
export interface TlsIdentity {
  readonly cert?: string | Uint8Array
  readonly key?: string | Uint8Array
  /** Trusted instead of the authorities that come with the runtime. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[]
  readonly passphrase?: string
}
