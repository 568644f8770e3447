#!/usr/bin/env node

/**
 * The `portico` command. Does as little as it can before it knows what is wanted: the version is answered without
 * loading anything, and a command's code is loaded when it is named.
 */

import { readFileSync } from 'node:fs'
import { exitNow } from '../definition/exit-in-definition.ts'

const LINGER_MS = 200
const words = process.argv.slice(2)

if (words.length === 1 && (words[0] === '--version' || words[0] === '-v')) {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  // Our own package file, beside this one in source and in the built package alike.
  process.stdout.write(`${(JSON.parse(text) as { version: string }).version}\n`)
} else {
  const [{ runCli }, { stayDuring }] = await Promise.all([import('./run.ts'), import('./terminal/stay-until.ts')])
  const code = await stayDuring(runCli(words))
  process.exitCode = code
  // Connections that are kept for later, and the like: nothing of ours is worth waiting for any longer.
  setTimeout(() => exitNow(code), LINGER_MS).unref()
}
