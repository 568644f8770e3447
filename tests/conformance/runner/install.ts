/**
 * The official suite, installed on first use so that nobody else pays for it. It needs Node 22; where the running Node is
 * older, one comes along as a package, for the suite alone.
 */

import { join } from 'node:path'
import { installedPackage, installPackages } from '../../support/install.ts'

export interface Suite {
  /** The Node that runs it. */
  readonly node: string
  readonly script: string
}

const SUITE = '@modelcontextprotocol/conformance'
const NEEDED_NODE = 22

export function installSuite(folder: string): Suite {
  const isNewEnough = Number.parseInt(process.versions.node, 10) >= NEEDED_NODE
  installPackages(folder)
  return {
    node: isNewEnough ? process.execPath : installNode(join(folder, 'older-node')),
    script: installedPackage(folder, SUITE, 'dist', 'index.js'),
  }
}

function installNode(folder: string): string {
  const name = `node-${NEEDED_NODE}-${process.platform}-${process.arch}`
  installPackages(folder, { needs: [name] })
  return installedPackage(folder, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}
