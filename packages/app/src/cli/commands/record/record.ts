/** `portico record`: stands between a client and a server and writes every message into a file. */

import { withoutSecrets } from '@portico/host/config'
import { serveGateway } from '@portico/host/gateway'
import type { WireMessage } from '@portico/host/upstream'
import { type Client, connect, type JsonObject } from '@portico/sdk/client'
import { CliError } from '../../../exit-codes.ts'
import { createRecorder, type Recorder } from '../../../recording/recorder.ts'
import { serveUntilEnd, wishesOf } from '../../gateway/serving.ts'
import { openSingleGateway, readVariables, type SingleGateway } from '../../gateway/single-gateway.ts'
import type { CommandInput } from '../../parse/command.ts'
import { targetOptionsOf } from '../../target/target.ts'
import { targetIn } from '../../target/target-words.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { flags } = input
  const [file = ''] = input.positionals
  const calls = (Array.isArray(flags.call) ? (flags.call as readonly string[]) : []).map(readCall)
  const wishes = calls.length > 0 ? undefined : wishesOf(flags, io, 'record')
  const early: WireMessage[] = []
  let take = (message: WireMessage): void => void early.push(message)
  const opened = await openSingleGateway(targetIn(input, 1), io, {
    headers: targetOptionsOf(input).headers ?? {},
    env: readVariables(flags.env, io),
    allowAnonymous: true,
    watch: (upstreams) => upstreams.on('message', (message) => take(message)),
  })
  let recorder: Recorder | undefined
  try {
    recorder = await begin(file, opened, await opened.ready)
    const { add } = { add: (message: WireMessage) => recorder?.add(message) }
    early.forEach(add)
    take = add
    if (wishes === undefined) await makeCalls(opened, calls, io)
    else {
      const { gateway } = opened
      await serveUntilEnd(gateway.server, wishes, io, {
        json: input.json,
        listen: (options) => serveGateway(gateway, options),
      })
    }
  } finally {
    await opened.close()
    await recorder?.close()
  }
  say(recorder, input, io)
  return 0
}

async function begin(file: string, { config }: SingleGateway, client: Client): Promise<Recorder> {
  const { info, instructions } = client.server
  const target = withoutSecrets(config.target)
  const server = {
    name: config.name,
    info,
    ...(instructions !== undefined && { instructions }),
    version: client.version,
    ...(target.kind === 'stdio' && { target: { command: target.command, args: target.args } }),
    ...('url' in target && { target: { url: target.url.split('?')[0] ?? target.url } }),
  }
  try {
    return await createRecorder(file, { at: Date.now(), servers: [server] })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CliError('failed', `${file} is there already`, 'Give another name, or remove it first.', error)
  }
}

interface Call {
  readonly name: string
  readonly args: JsonObject
}

function readCall(words: string): Call {
  const [, name = '', rest = ''] = /^\s*(\S+)\s*(.*)$/s.exec(words) ?? []
  try {
    const args: unknown = rest === '' ? {} : JSON.parse(rest)
    if (name !== '' && typeof args === 'object' && args !== null && !Array.isArray(args)) {
      return { name, args: args as JsonObject }
    }
  } catch {
    // Said below, with everything else that it may be instead.
  }
  throw new CliError(
    'usage',
    `record: --call takes a tool and a JSON object, not "${words}"`,
    `Write --call 'echo {"message":"hi"}'.`,
  )
}

/** Lists everything first, so that the replay has it. A call that fails is part of the recording. */
async function makeCalls({ gateway }: SingleGateway, calls: readonly Call[], io: Io): Promise<void> {
  const client = await connect(gateway.server, { signal: io.signal })
  try {
    await client.listTools()
    for (const { name, args } of calls) {
      io.progress(`calling ${name}`)
      const failed = await client.callTool(name, args, { signal: io.signal }).then(
        ({ isError }) => isError === true,
        () => true,
      )
      if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted')
      io.say(`${failed ? io.paint.red('failed') : io.paint.green('ok')} ${name}`)
    }
  } finally {
    io.progress(undefined)
    await client.close()
  }
}

function say(recorder: Recorder, { json }: CommandInput, io: Io): void {
  const { file, messages, ended } = recorder
  const whole = ended === undefined || ended === 'closed'
  if (json) io.out(JSON.stringify({ file, messages, ...(!whole && { ended }) }))
  io.say(`Recorded ${counted(messages, 'message')} into ${file}${whole ? '' : `; then ${ended}`}.`)
}
