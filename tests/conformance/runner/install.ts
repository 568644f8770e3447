/**
 * The official suite, installed on first use into a folder of its own so that nobody else pays for it. It needs Node 22;
 * where the running Node is older, one comes along as a package, for the suite alone.
 */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './command.ts'

export interface Suite {
  /** The Node that runs it. */
  readonly node: string
  readonly script: string
}

const SUITE = '@modelcontextprotocol/conformance'
const NEEDED_NODE = 22

export async function installSuite(folder: string): Promise<Suite> {
  if (findSuite(folder) === undefined) {
    console.log(`installing the official conformance suite into ${join(folder, 'node_modules')} (once)`)
    const omit = isNodeNewEnough() ? ['--omit=optional'] : []
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    const [command, ...args] = npmCommand()
    const { code } = await runCommand(command, [...args, 'ci', '--prefix', folder, ...omit, ...quiet], { show: true })
    if (code !== 0) throw new Error(`npm could not install the conformance suite (exit code ${code})`)
  }
  const suite = findSuite(folder)
  if (suite === undefined)
    throw new Error(`no Node ${NEEDED_NODE} for ${process.platform}-${process.arch} was installed`)
  return suite
}

/** What is there already, if it is the pinned version and there is a Node that can run it. */
function findSuite(folder: string): Suite | undefined {
  const modules = join(folder, 'node_modules')
  const wanted = readJson(join(folder, 'package.json'))?.dependencies?.[SUITE]
  if (readJson(join(modules, SUITE, 'package.json'))?.version !== wanted) return undefined
  const node = isNodeNewEnough() ? process.execPath : join(modules, nodePackage(), 'bin', nodeBinary())
  return existsSync(node) ? { node, script: join(modules, SUITE, 'dist', 'index.js') } : undefined
}

function isNodeNewEnough(): boolean {
  return Number.parseInt(process.versions.node, 10) >= NEEDED_NODE
}

/** npm's packages of Node name Windows in their own way, and one of the two for macOS. */
function nodePackage(): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = `${platform}-${process.arch}`
  return name === 'darwin-arm64' ? `node-bin-${name}` : `node-${name}`
}

function nodeBinary(): string {
  return process.platform === 'win32' ? 'node.exe' : 'node'
}

/** npm is itself a Node script; run as one it needs no shell on Windows. */
function npmCommand(): [string, ...string[]] {
  const script = process.env.npm_execpath
  return script !== undefined && /\.[cm]?js$/.test(script) ? [process.execPath, script] : ['npm']
}

function readJson(path: string): { version?: string; dependencies?: { [name: string]: string } } | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
