/**
 * Before a server is connected to: the whole command is shown with what looks dangerous about it, and the package that
 * would run is looked up. A yes holds for exactly this command and this version; another one asks again.
 */

import { inspectCommand } from '../config/inspect-command.ts'
import { packageOf } from '../config/package-reference.ts'
import { type ResolvedPackage, resolvePackage } from '../config/resolve-package.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { showCommand } from '../config/show-command.ts'
import type { VersionLedger } from '../config/version-ledger.ts'
import type { Guard } from '../guard/guard.ts'
import type { Circumstances } from '../policy/effect.ts'

export interface AdmissionParts {
  guard(): Guard
  circumstances(): Circumstances
  readonly ledger?: VersionLedger
  /** The package registry to ask which version would run; none is asked without it. */
  readonly registry?: string
  readonly fetch?: typeof fetch
}

const LOOKUP_MS = 3_000

export function createAdmission(parts: AdmissionParts): (config: ServerConfig) => Promise<void> {
  return async (config) => {
    const { name: server, target } = config
    // What this program brought along itself has been chosen by whoever installed it.
    if (target.kind === 'in-process') return
    const { resolved, warnings } = await lookUp(config, parts)
    const shown = showCommand(target)
    const fingerprint =
      resolved === undefined ? config.fingerprint : `${config.fingerprint}:${resolved.version}:${resolved.integrity}`
    const effect = { kind: 'connect', server, shown, fingerprint } as const
    const dangers = inspectCommand(target).map(({ message }) => message)
    const reason = 'It has not been run or contacted in exactly this form before.'
    const question = { kind: 'approval', effect, reason, warnings: [...warnings, ...dangers] } as const
    const permit = await parts.guard().pass(effect, parts.circumstances(), { question })
    permit.finish('ok')
    if (resolved !== undefined) await parts.ledger?.record(server, resolved)
  }
}

/** Which version an unpinned package would be now, and whether that is another than last time. */
async function lookUp(
  { name, target }: ServerConfig,
  { ledger, registry, fetch }: AdmissionParts,
): Promise<{ readonly resolved?: ResolvedPackage; readonly warnings: readonly string[] }> {
  const reference = packageOf(target)
  if (reference === undefined || reference.pinned || registry === undefined) return { warnings: [] }
  try {
    const resolved = await resolvePackage(reference, { registry, fetch, timeoutMs: LOOKUP_MS })
    if (resolved === undefined) return { warnings: [] }
    const verdict = await ledger?.check(name, resolved)
    return {
      resolved,
      warnings:
        verdict?.kind === 'changed' ? [verdict.message] : [`It would run ${resolved.name} ${resolved.version}.`],
    }
  } catch {
    return { warnings: [`Which version of ${reference.name} would run could not be found out.`] }
  }
}
