/** What the browser server may be told, with every default said once. */

import { PorticoError } from '@portico/sdk/server'
import type { AnswerOptions } from '../answers.ts'

/** Options of `createBrowserServer`: which browser is used, and which hosts it can reach. */
export interface BrowserOptions extends AnswerOptions {
  /** The browser's program: Chromium, Chrome or Edge. Looked for in the usual places unless given. */
  readonly executable?: string | undefined
  /** Hosts that may be reached, as `example.com` or `*.example.com`; the whole public web unless given. */
  readonly allow?: readonly string[] | undefined
  /** Hosts that may not, whatever `allow` says. */
  readonly deny?: readonly string[] | undefined
  /** `host:port` of services on private addresses that may be reached. */
  readonly allowPrivate?: readonly string[] | undefined
  /** Submits forms and types passwords for clients that cannot ask their user. Off by default. */
  readonly allowUnasked?: boolean | undefined
  /** The folder whose files pages may be given, each with the user's consent; none unless given. */
  readonly uploads?: string | undefined
  /** Runs the browser without its own sandbox, which it cannot have as root. Off by default. */
  readonly noSandbox?: boolean | undefined
  /** Tabs of one user: 5 unless given. */
  readonly maxPages?: number | undefined
  /** Users with tabs at one time: 10 unless given. */
  readonly maxUsers?: number | undefined
  /** How long one step may take: 15,000 unless given. */
  readonly timeoutMs?: number | undefined
  /** Bytes of one screenshot: 4,000,000 unless given. */
  readonly maxScreenshotBytes?: number | undefined
}

/**
 * How much the browser server does at a time: tabs of one user, users, milliseconds of one step, bytes of one
 * screenshot.
 */
export interface BrowserLimits {
  readonly maxPages: number
  readonly maxUsers: number
  readonly timeoutMs: number
  readonly maxScreenshotBytes: number
}

/** The limits of the browser server where its options give no others. */
export const BROWSER_LIMITS: BrowserLimits = {
  maxPages: 5,
  maxUsers: 10,
  timeoutMs: 15_000,
  maxScreenshotBytes: 4_000_000,
}

export function settleBrowserLimits(options: BrowserOptions): BrowserLimits {
  const limits = { ...BROWSER_LIMITS }
  for (const name of Object.keys(BROWSER_LIMITS) as (keyof BrowserLimits)[]) {
    const value = options[name]
    if (value === undefined) continue
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw new PorticoError('invalid-definition', `browser: option "${name}" must be a whole number above 0`)
    }
    limits[name] = value
  }
  return limits
}
