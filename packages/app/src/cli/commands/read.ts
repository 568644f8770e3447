/** `portico read`: a resource, as text or bytes. */

import { writeFile } from 'node:fs/promises'
import { type ReadResourceResult, RpcError } from '@portico/sdk/client'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import { requestOptionsOf, targetOptionsOf, withTarget } from '../target/target.ts'
import { isReadWord, splitTarget } from '../target/target-kind.ts'
import { textOfContents } from '../terminal/content.ts'
import type { Io } from '../terminal/io.ts'
import { toPicture } from '../terminal/show-picture.ts'
import { showText } from '../terminal/show-result.ts'

const INVALID_PARAMS = -32602

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input, isReadWord)
  const [uri, extra] = rest
  if (uri === undefined) throw new CliError('usage', 'read: <uri> is missing: the resource to read')
  if (extra !== undefined) throw new CliError('usage', `read: "${extra}" is one argument too many`)
  const given = input.flags.output ?? input.flags.out
  const out = typeof given === 'string' ? given : undefined
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    io.progress(`reading ${uri} …`)
    const result = await open.readResource(uri, requestOptionsOf(input, io)).catch((error: unknown) => {
      // On 2026-07-28 a resource that is not there is a parameter that is not valid; there is only one parameter.
      const isUnknown = error instanceof RpcError && error.rpcCode === INVALID_PARAMS
      throw isUnknown
        ? new CliError('not-found', error.message, '`portico list <server> resources` shows what there is.', error)
        : error
    })
    io.progress(undefined)
    if (out !== undefined) {
      await writeFile(out, input.json ? `${JSON.stringify(result)}\n` : toBytes(result))
      io.say(`Written to ${out}.`)
    } else if (input.json) io.out(JSON.stringify(result))
    else print(result, io)
    return EXIT_CODES.ok.code
  })
}

function print(result: ReadResourceResult, io: Io): void {
  for (const contents of result.contents) {
    if ('text' in contents) io.out((io.terminal ? showText(contents.text, io) : contents.text).replace(/\n$/, ''))
    else if (io.terminal) showBytes(contents, io)
    else io.writeBytes(Buffer.from(contents.blob, 'base64'))
  }
}

function showBytes(contents: Extract<ReadResourceResult['contents'][number], { blob: string }>, io: Io): void {
  const picture = toPicture(contents.blob, contents.mimeType ?? '', io.env)
  if (picture !== undefined) io.writeBytes(picture)
  else io.say(`${textOfContents(contents)}; write it to a file with --output <file>.`)
}

function toBytes({ contents }: ReadResourceResult): Buffer {
  return Buffer.concat(contents.map((one) => ('text' in one ? Buffer.from(one.text) : Buffer.from(one.blob, 'base64'))))
}
