/**
 * Why a server cannot be used, in words for the person who has to do something about it: from the error of a connection
 * attempt or a lost connection to a state, a reason and a remedy. Judges only; `retry.ts` acts on it.
 */

import { PorticoError } from '@portico/sdk/client'
import { likelyAddress, type OwnLack, ownLackOf, USUAL_PATHS } from '@portico/sdk/internal'
import type { ServerConfig, ServerTarget } from '../../config/server-config.ts'
import { HostError } from '../../errors.ts'
import { bounded, neutralise } from '../catalogue/text.ts'
import type { UpstreamStateName } from '../upstream.ts'

/** Why a server cannot be used (`reason`) and what to do about it (`remedy`), each in one line. */
export interface Failure {
  readonly state: Extract<UpstreamStateName, 'failed' | 'needs-sign-in'>
  readonly reason: string
  readonly remedy: string
  /** Whether trying again by itself may help. */
  readonly retries: boolean
  /** It is this process, or its machine, that lacks something: not held against the server. */
  readonly isOurs?: true
}

/** What `explainFailure` knows of the server besides the error. */
export interface FailureContext {
  readonly config: ServerConfig
  /** The last lines of standard error, of a program. */
  readonly stderr?: string
}

/**
 * Says in plain words why a server could not be connected, or was lost, and what the user can do about it.
 *
 * @example
 * ```ts
 * import { explainFailure } from '@portico/host/upstream'
 * import { defineServer } from '@portico/host/config'
 * import { connect } from '@portico/sdk/client'
 *
 * const config = defineServer('docs', { kind: 'http', url: 'https://docs.example/mcp', headers: {} })
 * const failure = await connect('https://docs.example/mcp').then(() => undefined, (error) => explainFailure(error, { config }))
 * ```
 */
export function explainFailure(error: unknown, { config, stderr = '' }: FailureContext): Failure {
  const chain = chainOf(error)
  return (
    ofHost(chain) ??
    ofOurselves(error) ??
    ofSignIn(chain, config) ??
    ofVersion(chain) ??
    ofPort(chain, config) ??
    ofSystem(chain, config) ??
    ofStatus(chain, config) ??
    ofTime(chain, config) ??
    ofNonsense(chain, config) ??
    ofProcess(chain, config, stderr) ??
    failed(`Connecting failed: ${oneLine(messageOf(error))}`, 'Look at the log of the server, then restart it.')
  )
}

/** A server that was up and keeps going down. */
export function explainLoop(count: number, last: Failure): Failure {
  return {
    ...last,
    // Tries come further and further apart, so that no span of time is named.
    reason: `It failed ${count} times and is left alone for a while. Last: ${last.reason}`,
    retries: true,
  }
}

function ofHost(chain: readonly unknown[]): Failure | undefined {
  const refusal = chain.find((error): error is HostError => error instanceof HostError)
  if (refusal === undefined) return undefined
  const { state, remedy: told } = (refusal.data ?? {}) as { state?: unknown; remedy?: unknown }
  if (state === 'needs-sign-in') {
    return {
      state,
      reason: oneLine(refusal.message),
      remedy: typeof told === 'string' ? told : 'Sign in to the server.',
      retries: false,
    }
  }
  const remedy = {
    denied: 'Approve the connection, or change the rule that forbids it.',
    'untrusted-config': "Trust the project's configuration file after reading it.",
    'secret-missing': 'Set the secret or variable that the message names.',
    'invalid-config': 'Correct the entry in the configuration file.',
  }[refusal.code as string]
  return failed(oneLine(refusal.message), remedy ?? 'Restart the server once the cause is gone.', false)
}

/** What is missing here, whoever the other side is, and what can be done about it. */
const LACKS: { readonly [lack in OwnLack]: readonly [what: string, remedy: string] } = {
  EMFILE: ['no file descriptor left', 'Raise its limit (ulimit -n), or connect fewer servers.'],
  ENFILE: ['no file descriptor left on its machine', 'Raise the limit of the machine.'],
  ENOMEM: ['no memory left', 'Give it more memory, or connect fewer servers.'],
  ENOBUFS: ['no room left for network connections', 'Connect fewer servers, or give the machine more memory.'],
  EADDRNOTAVAIL: ['no free port, or no address, to connect from', 'Connect fewer servers, or check the network.'],
  EAGAIN: ['no process left to start', 'Raise the limit of processes of its user (ulimit -u).'],
}

function ofOurselves(error: unknown): Failure | undefined {
  const lack = ownLackOf(error)
  if (lack === undefined) return undefined
  const [what, remedy] = LACKS[lack]
  const reason = `The program that connects to it has ${what} (${lack}).`
  return { ...failed(reason, `${remedy} It is tried again by itself.`), isOurs: true }
}

function ofSignIn(chain: readonly unknown[], { name, target, place }: ServerConfig): Failure | undefined {
  const refused = chain.find(
    (error) =>
      error instanceof PorticoError &&
      (error.code === 'auth-failed' || statusOf(error) === 401 || statusOf(error) === 407),
  )
  if (refused === undefined) return undefined
  const where = 'url' in target ? ` at ${hostOf(target.url)}` : ''
  const credential = 'headers' in target ? Object.keys(target.headers).find((name) => CREDENTIAL.test(name)) : undefined
  if (credential !== undefined) {
    return {
      state: 'needs-sign-in',
      reason: `The token for "${name}" was refused by the server${where} (its header ${oneLine(credential)}).`,
      remedy: `Put a valid one into \`headers\` of "${name}"${place.file === '' ? '' : ` in ${place.file}`}, or remove the header and sign in.`,
      retries: false,
    }
  }
  return {
    state: 'needs-sign-in',
    reason: `The server${where} wants you to sign in${detailOf(refused)}`,
    remedy: 'Sign in to the server, or add a credential to its configuration.',
    retries: false,
  }
}

/** What else is known; not the same once more in other words. */
function detailOf(refused: unknown): string {
  const detail = oneLine(messageOf(refused))
  return /\bsign(?:s|ed)? in\b|who you are/i.test(detail) ? '.' : `: ${detail}`
}

/** Headers that say who the caller is. */
const CREDENTIAL = /authorization|token|key|secret|cookie/i

function ofVersion(chain: readonly unknown[]): Failure | undefined {
  const mismatch = chain.find((error) => error instanceof PorticoError && error.code === 'unsupported-version')
  if (mismatch === undefined) return undefined
  return failed(
    oneLine(messageOf(mismatch)),
    'Update the server, or allow one of its protocol revisions in the configuration.',
    false,
  )
}

/** `fetch` never connects to some ports, and says no more than that. */
function ofPort(chain: readonly unknown[], { target }: ServerConfig): Failure | undefined {
  if (!('url' in target) || !chain.some((error) => messageOf(error) === 'bad port')) return undefined
  return failed(
    `Port ${portOf(target.url)} cannot be used: programs that speak HTTP refuse to connect to it, because it belongs to another kind of server.`,
    'Let the server listen on another port, such as 3000, and correct the URL.',
    false,
  )
}

function portOf(url: string): string {
  return URL.canParse(url) ? new URL(url).port : ''
}

function ofSystem(chain: readonly unknown[], config: ServerConfig): Failure | undefined {
  const code = chain.map(codeOf).find((one) => one !== undefined && /^[A-Z][A-Z0-9_]+$/.test(one))
  if (code === undefined) return undefined
  const { target } = config
  if (target.kind === 'stdio') return ofStart(code, config, chain)
  const host = 'url' in target ? hostOf(target.url) : 'the server'
  if (code === 'ECONNREFUSED')
    return failed(`Nothing listens at ${host} (connection refused).`, 'Start the server there, or correct its port.')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return failed(`The name ${host} cannot be resolved.`, 'Check the spelling of the URL and the network connection.')
  if (/^(CERT|ERR_TLS|ERR_SSL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code))
    return failed(
      `The TLS certificate of ${host} is not accepted (${code}).`,
      "Correct the server's certificate, or name the authority that signed it under `tls.ca`.",
      false,
    )
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET')
    return failed(`${host} ended the connection while it was being made.`, 'Look at the log of the server.')
  if (/TIMEDOUT|TIMEOUT/.test(code))
    return failed(`${host} does not answer.`, 'Check the network, or give it more time with `startMs`.')
  if (/^E(HOST|NET)(UNREACH|DOWN)$/.test(code))
    return failed(`There is no way to ${host} on this network (${code}).`, 'Check the network connection.')
  return undefined
}

function ofStart(code: string, config: ServerConfig, chain: readonly unknown[]): Failure | undefined {
  const { target } = config
  if (target.kind !== 'stdio') return undefined
  const said = chain.map(messageOf).find((message) => message.includes('cannot start'))
  if (code === 'ENOENT') {
    const isFolder = said?.includes('working directory') === true
    return isFolder
      ? failed(oneLine(said ?? ''), 'Create the folder, or correct `cwd` in the configuration.')
      : failed(
          `The program "${target.command}" was not found.`,
          `Install it, or write its full path as the command in ${config.place.file || 'the configuration'}.`,
        )
  }
  if (code === 'EACCES' || code === 'EPERM')
    return failed(
      `The program "${target.command}" may not be run.`,
      'Make the file executable, or correct the command.',
    )
  if (code === 'E2BIG') return failed('The arguments or the environment are too long.', 'Shorten them.', false)
  return undefined
}

function ofStatus(chain: readonly unknown[], { target }: ServerConfig): Failure | undefined {
  const status = chain.map(statusOf).find((one) => one !== undefined)
  if (status === undefined) return undefined
  const where = 'url' in target ? hostOf(target.url) : 'The server'
  if (status === 403)
    return failed(`${where} refuses this client (HTTP 403).`, 'Ask for access, or sign in as somebody else.', false)
  if (status === 404 || status === 405 || status === 410)
    return failed(`There is no MCP server at this address (HTTP ${status}).`, pathRemedy(target))
  if (status === 429)
    return failed(`${where} says that there were too many requests (HTTP 429).`, 'Wait; it is tried again by itself.')
  if (status >= 500)
    return failed(`${where} is out of order (HTTP ${status}).`, 'Wait, or ask whoever runs it; it is tried again.')
  return failed(`${where} answered with HTTP ${status}.`, 'Check the URL and the headers in the configuration.')
}

/** The address that was likely meant, in the words that the client has. */
function pathRemedy(target: ServerTarget): string {
  const likely = 'url' in target && URL.canParse(target.url) ? likelyAddress(new URL(target.url)) : undefined
  return `${likely === undefined ? 'Check the path of the URL' : `Try ${likely}`}: ${USUAL_PATHS}.`
}

function ofTime(chain: readonly unknown[], { settings }: ServerConfig): Failure | undefined {
  const late = chain.some(
    (error) =>
      (error instanceof PorticoError && error.code === 'timeout') ||
      (error as Error | undefined)?.name === 'TimeoutError',
  )
  if (!late) return undefined
  return failed(
    `It did not answer within ${settings.startMs} ms.`,
    'See in its log what it waits for; give it more time with `startMs` if it is only slow.',
  )
}

function ofNonsense(chain: readonly unknown[], { target }: ServerConfig): Failure | undefined {
  const invalid = chain.find((error) => error instanceof PorticoError && error.code === 'invalid-message')
  if (invalid === undefined) return undefined
  const where = 'url' in target ? `What answers at ${hostOf(target.url)}` : 'The program'
  return failed(
    `${where} does not speak MCP: ${oneLine(messageOf(invalid))}`,
    'url' in target ? 'Check the URL.' : 'Check the command.',
  )
}

function ofProcess(chain: readonly unknown[], { target }: ServerConfig, stderr: string): Failure | undefined {
  const ended = chain.find((error): error is PorticoError => error instanceof PorticoError && error.code === 'closed')
  if (ended === undefined) return undefined
  const inError = chain.map(stderrOf).find((text) => text !== undefined)
  const said = tellingLines(inError ?? stderr)
  // Its message ends with the line that says most, which is among these.
  const how = said === '' ? messageOf(ended) : messageOf(ended).replace(EXIT_WORDS, '$1')
  const reason = `${oneLine(how)}.${said === '' ? '' : ` It said: ${said}`}`
  const remedy =
    target.kind === 'stdio'
      ? 'Run the command by hand to see what it lacks: arguments, variables, a folder.'
      : 'Look at the log of the server; it is tried again by itself.'
  return failed(reason.replace(/\.\.$/, '.'), remedy)
}

const EXIT_WORDS = /^(".*?" (?:exited with code \d+|was ended by \w+)): .*$/s

function failed(reason: string, remedy: string, retries = true): Failure {
  return { state: 'failed', reason: bounded(reason, 600), remedy, retries }
}

const MAX_CAUSES = 8

/** An error and what caused it. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let one = error; one !== undefined && one !== null && chain.length < MAX_CAUSES; ) {
    chain.push(one)
    const { cause, errors } = (typeof one === 'object' ? one : {}) as { cause?: unknown; errors?: unknown[] }
    one = cause ?? errors?.[0]
  }
  return chain
}

function codeOf(error: unknown): string | undefined {
  const { code } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof PorticoError) || error.code !== 'http-status') return undefined
  const { status } = (error.data ?? {}) as { status?: unknown }
  return typeof status === 'number' ? status : undefined
}

function stderrOf(error: unknown): string | undefined {
  if (!(error instanceof PorticoError)) return undefined
  const { stderr } = (typeof error.data === 'object' && error.data !== null ? error.data : {}) as { stderr?: unknown }
  return typeof stderr === 'string' ? stderr : undefined
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function oneLine(text: string): string {
  return neutralise(bounded(text.replace(/\s+/g, ' ').trim(), 400)).text
}

/** The line that names an error, which stands above a stack trace and whatever a runtime adds; else the last ones. */
function tellingLines(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const named = lines.findLast((line) => ERROR_LINE.test(line))
  return oneLine(named ?? lines.slice(-3).join(' · '))
}

/** At the start of a line: `TypeError: …`, `Error [CODE]: …`, `java.lang.Exception: …`, `fatal: …`, `error[E1]: …`. */
const ERROR_LINE = /^(?:Uncaught )?(?:[\w.$]*(?:Error|Exception)|error|fatal|panic)\b[^:\n]{0,80}: ?\S/i

/** The host alone: a path or query may hold secrets. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the server'
}
