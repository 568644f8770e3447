/** How every target serves: the paths, who may call from a browser, a bound that is cheap to pass. */

import type { StreamableOptions } from '@portico/sdk/fetch'

/** The origin of web pages that may call. */
export const ALLOWED_ORIGIN = 'https://app.example.com'

/** Small, so that passing it costs nothing; the same on every runtime. */
export const MAX_BODY_BYTES = 64 * 1024

export const OPTIONS = {
  path: '/mcp',
  ssePath: '/sse',
  messagesPath: '/messages',
  allowedOrigins: [ALLOWED_ORIGIN],
  limits: { maxBodyBytes: MAX_BODY_BYTES },
} satisfies StreamableOptions
