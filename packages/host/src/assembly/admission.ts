/**
 * Before a server is connected to: the whole command is shown as it would run now, with what looks dangerous about it,
 * and the package that would run is looked up. A yes holds for exactly this command, with these values of its variables,
 * and this version; another one asks again. What is connected to in the end is held against what was approved.
 */

import { randomUUID } from 'node:crypto'
import { inspectCommand } from '../config/command/inspect-command.ts'
import { type ResolveContext, resolveTarget } from '../config/command/resolve-target.ts'
import { makeVisible } from '../config/command/show-command.ts'
import { toConnectable } from '../config/command/target-resolver.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { type ApprovalSubject, approvalSubjectOf } from '../config/trust/approval-subject.ts'
import { DEFAULT_REGISTRY, npmRegistryOf } from '../config/trust/npm-registry.ts'
import { packageOf } from '../config/trust/package-reference.ts'
import { type ResolvedPackage, resolvePackage } from '../config/trust/resolve-package.ts'
import type { VersionLedger } from '../config/trust/version-ledger.ts'
import { HostError } from '../errors.ts'
import type { Guard, Permit } from '../guard/guard.ts'
import type { Circumstances } from '../policy/effect.ts'
import type { TargetResolver } from '../upstream/connection/resolve.ts'

interface AdmissionParts {
  guard(): Guard
  circumstances(): Circumstances
  /** What variables and secrets mean. */
  readonly context: ResolveContext
  readonly ledger?: VersionLedger
  /** Whether registries are asked which version would run. */
  readonly looksUp: boolean
  readonly fetch?: typeof fetch
}

interface Admission {
  /**
   * Rejects when the server may not be connected to. What is asked for it is withdrawn with the signal. What comes of the
   * attempt is written down by what is returned; a server of this program itself has nothing to write down.
   */
  admit(config: ServerConfig, signal?: AbortSignal): Promise<Permit['finish'] | undefined>
  /** Makes what was admitted, and nothing else, into something to connect to. */
  readonly resolve: TargetResolver
}

const LOOKUP_MS = 3_000

export function createAdmission(parts: AdmissionParts): Admission {
  /** What each server was last admitted with. */
  const admitted = new Map<string, string>()
  return {
    async admit(config, signal) {
      // What this program brought along itself has been chosen by whoever installed it.
      if (config.target.kind === 'in-process') return undefined
      const subject = await approvalSubjectOf(config, parts.context)
      const permit = await pass(config, subject, parts, signal)
      admitted.set(config.name, subject.fingerprint)
      return (outcome, detail) => permit.finish(outcome, detail)
    },
    async resolve(config) {
      if (config.target.kind === 'in-process') return toConnectable(await resolveTarget(config, parts.context))
      const { concrete, fingerprint } = await approvalSubjectOf(config, parts.context)
      if (admitted.get(config.name) === fingerprint) return toConnectable(concrete)
      const reason = 'What would be connected to is no longer what was approved. Restart it to be asked again.'
      throw new HostError('denied', `"${config.name}": ${reason}`, { data: { reason } })
    },
  }
}

async function pass(
  config: ServerConfig,
  subject: ApprovalSubject,
  parts: AdmissionParts,
  signal: AbortSignal | undefined,
): Promise<Permit> {
  const { name: server, target: written } = config
  const { display, shown } = subject
  const { resolved, content, warnings } = await lookUp(config, subject, parts)
  const fingerprint = content === undefined ? subject.fingerprint : `${subject.fingerprint}:${content}`
  const local = display.kind === 'stdio'
  const { folder } = subject
  const effect = {
    kind: 'connect',
    server,
    shown,
    fingerprint,
    local,
    ...(folder !== undefined && { folder }),
  } as const
  // What is only seen in the entry as it is written counts, too: that a variable names the program.
  const findings = [...inspectCommand(display), ...inspectCommand(written)]
  // What a project has installed is not fetched.
  const counted = findings.filter(({ code }) => code !== 'unpinned-package' || !subject.isInstalled)
  const dangers = new Set(counted.map(({ message }) => message))
  const reason = 'No remembered answer covers exactly this.'
  const question = {
    kind: 'approval',
    effect,
    reason,
    warnings: [...warnings, ...subject.notes, ...dangers],
  } as const
  const permit = await parts.guard().pass(effect, parts.circumstances(), { question, signal })
  if (resolved !== undefined) await parts.ledger?.record(server, resolved)
  return permit
}

interface Found {
  readonly resolved?: ResolvedPackage
  /** What tells the content that would run from every other. */
  readonly content?: string
  readonly warnings: readonly string[]
}

/** Which version an unpinned package would be now, and whether that is another than last time. */
async function lookUp(
  { name: server, target: written }: ServerConfig,
  { display, concrete, isInstalled }: ApprovalSubject,
  { ledger, looksUp, fetch }: AdmissionParts,
): Promise<Found> {
  const reference = packageOf(display)
  if (reference === undefined || reference.pinned || !looksUp || isInstalled) return { warnings: [] }
  const name = makeVisible(reference.name)
  try {
    const registry = await npmRegistryOf(written, concrete)
    if (registry === undefined) return { warnings: [] }
    if (registry.unknown !== undefined) {
      // It may be another content every time, so no remembered answer covers it.
      const warning = `Which version of ${name} would run is not known: ${registry.unknown}.`
      return { content: `unknown:${randomUUID()}`, warnings: [warning] }
    }
    const resolved = await resolvePackage(reference, { registry: registry.url, fetch, timeoutMs: LOOKUP_MS })
    if (resolved === undefined) return { warnings: [] }
    const found = await ledger?.check(server, resolved)
    const from = registry.url === DEFAULT_REGISTRY ? '' : `, from ${new URL(registry.url).host}`
    const plain = `It would run ${resolved.name} ${resolved.version}${from}.`
    const content = `${resolved.version}:${resolved.integrity}`
    return { resolved, content, warnings: [found?.kind === 'changed' ? found.message : plain] }
  } catch {
    return { warnings: [`Which version of ${name} would run could not be found out.`] }
  }
}
