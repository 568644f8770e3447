/** The revisions by name, and which one an `initialize` settles on. The only place that knows them all. */

import type { ProtocolVersion, Revision } from './revision.ts'
import { REVISION_2024_11_05 } from './revisions/2024-11-05.ts'
import { REVISION_2025_03_26 } from './revisions/2025-03-26.ts'
import { REVISION_2025_06_18 } from './revisions/2025-06-18.ts'
import { REVISION_2025_11_25 } from './revisions/2025-11-25.ts'
import { REVISION_2026_07_28 } from './revisions/2026-07-28.ts'

export const LATEST: Revision = REVISION_2026_07_28
export const LATEST_LEGACY: Revision = REVISION_2025_11_25

/** Oldest first. */
export const REVISIONS: ReadonlyMap<string, Revision> = new Map(
  [REVISION_2024_11_05, REVISION_2025_03_26, REVISION_2025_06_18, LATEST_LEGACY, LATEST].map((revision) => [
    revision.version,
    revision,
  ]),
)

export function revisionOf(version: string): Revision | undefined {
  return REVISIONS.get(version)
}

/**
 * The revision that answers an `initialize`: the requested one if it is allowed, otherwise the newest legacy revision
 * that is (lifecycle, "Version Negotiation"). Modern revisions have no `initialize` and are never the answer.
 */
export function negotiateLegacy(requested: string, allowed: readonly ProtocolVersion[]): Revision | undefined {
  const candidates = [...REVISIONS.values()].filter(
    (revision) => revision.era === 'legacy' && allowed.includes(revision.version),
  )
  return candidates.find((revision) => revision.version === requested) ?? candidates.at(-1)
}
