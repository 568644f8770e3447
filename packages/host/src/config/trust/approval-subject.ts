/**
 * What somebody approves when they let a server be connected to: the entry with every variable as its value at this
 * moment, shown whole, and a fingerprint over all of it. Another project, another value of a variable, another secret
 * is another thing, and is asked about anew.
 */

import { ENVIRONMENT_PATTERN } from '../command/danger-patterns.ts'
import { HIDDEN } from '../command/hide-in-address.ts'
import { type LocalParts, localPartsOf } from '../command/local-parts.ts'
import { type ConcreteTarget, type ResolveContext, resolveTarget, type Spelling } from '../command/resolve-target.ts'
import { makeVisible, showCommand } from '../command/show-command.ts'
import { escapeText, isSecretName, isSecretValue, spellVariable } from '../command/variables.ts'
import type { ServerConfig, ServerTarget } from '../server-config.ts'
import { digestOf } from './fingerprint.ts'

export interface ApprovalSubject {
  /** As it is sent. Keep it out of questions and logs. */
  readonly concrete: ConcreteTarget
  /** As it may be shown: secrets are references or hidden, everything else is its value. */
  readonly display: ServerTarget
  readonly shown: string
  readonly fingerprint: string
  /** Where a program is started. */
  readonly folder?: string
  /** The package that it names is there already, and is not fetched. */
  readonly isInstalled: boolean
  /** What the folder and the search path decide, in words for the person. */
  readonly notes: readonly string[]
}

/** Rejects as `resolveTarget` does, when something is missing. */
export async function approvalSubjectOf(config: ServerConfig, context: ResolveContext = {}): Promise<ApprovalSubject> {
  const concrete = await resolveTarget(config, context)
  const local = await localPartsOf(concrete, context.platform)
  const display = await displayOf(config, context, local)
  return {
    concrete,
    display,
    shown: showCommand(display),
    fingerprint: fingerprintOf(concrete, config, local),
    ...(local.folder !== undefined && { folder: local.folder }),
    isInstalled: local.package !== undefined,
    notes: notesOn(local, concrete),
  }
}

/** Secrets are in it, too: a digest tells that one changed and not what it was. The mark tells it from those of entries. */
function fingerprintOf(concrete: ConcreteTarget, { settings }: ServerConfig, local: LocalParts): string {
  return `use-${digestOf([concrete, settings.auth ?? null, settings.tls ?? null, local])}`
}

async function displayOf(config: ServerConfig, context: ResolveContext, local: LocalParts): Promise<ServerTarget> {
  const spelled = await resolveTarget(config, context, spell)
  if (spelled.kind !== 'stdio' || config.target.kind !== 'stdio') return spelled
  const { envFile } = config.target
  return {
    ...spelled,
    ...(local.folder !== undefined && { cwd: escapeText(local.folder) }),
    ...(envFile !== undefined && { envFile: await spellPath(envFile, config, context) }),
  }
}

async function spellPath(text: string, config: ServerConfig, context: ResolveContext): Promise<string> {
  const target: ServerTarget = { kind: 'stdio', command: text, args: [], env: {} }
  const spelled = await resolveTarget({ ...config, target }, context, spell)
  return spelled.kind === 'stdio' ? spelled.command : text
}

const spell: Spelling = ({ text, secret }, part, variable) => {
  const [place = '', name = ''] = part
  if (place === 'envFile') return ENVIRONMENT_PATTERN.test(name) ? escapeText(text) : HIDDEN
  if (variable === undefined) return escapeText(text)
  if (secret) return spellVariable(variable)
  // A default stands in the file for everybody to read.
  const reference = variable.kind === 'env' ? spellVariable({ kind: 'env', name: variable.name }) : undefined
  if (reference === undefined || !isPrivate(text, place, name, variable.name)) return escapeText(text)
  return reference
}

/** The look or the name says that it is a secret. What may be a program, an option or code is shown all the same. */
function isPrivate(text: string, place: string, name: string, variable: string): boolean {
  if (isSecretValue(text)) return true
  if (place === 'command' || place === 'cwd') return false
  if (place === 'args') return isSecretName(variable) && /^\w[\w.~+=-]{7,}$/.test(text)
  return isSecretName(variable) || (place !== 'url' && isSecretName(name))
}

function* notes({ program, folder, package: found }: LocalParts, concrete: ConcreteTarget): Generator<string> {
  if (concrete.kind !== 'stdio') return
  const at = folder ?? concrete.cwd
  if (found !== undefined) yield `It takes the package from ${makeVisible(found)} instead of fetching it.`
  if (program !== undefined && at !== undefined && program.startsWith(at) && !concrete.command.includes(program)) {
    yield `The program is ${makeVisible(program)}, inside the folder that it is started in.`
  }
}

function notesOn(local: LocalParts, concrete: ConcreteTarget): readonly string[] {
  return [...notes(local, concrete)]
}
