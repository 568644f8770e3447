#!/usr/bin/env node
/**
 * What npm links as `portico`: the built program where there is one, and in a checkout that has not been built its source,
 * so that `npm install` alone leaves a command that works.
 */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const built = new URL('./dist/cli/main.js', import.meta.url)
if (existsSync(built)) {
  await import(built.href).catch(explain)
} else {
  const tools = new URL('../../scripts/', import.meta.url)
  const { runNode, sourceArguments } = await import(new URL('child.mjs', tools).href)
  const words = process.argv.slice(2)
  const showsPage = words.length === 0 || ['start', 'dev'].includes(words[0])
  const code = showsPage ? await (await import(new URL('start.mjs', tools).href)).buildPage() : 0
  const source = fileURLToPath(new URL('./src/cli/main.ts', import.meta.url))
  process.exitCode = code || (await runNode(sourceArguments(source, words)))
}

/** Modules are files, too: where too few may be open, none of the program's own words can be loaded. */
function explain(error) {
  let cause = error
  while (cause?.cause instanceof Error && cause.code !== 'EMFILE') cause = cause.cause
  if (cause?.code !== 'EMFILE') throw error
  process.stderr.write(
    'portico: too few files may be open at once for this program to start. Raise the limit with `ulimit -n 1024`, and start it again.\n',
  )
  process.exit(1)
}
