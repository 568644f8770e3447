import { expect, it } from 'vitest'
import { registryUrl } from './registry.ts'

it.each([
  ['the official one', undefined, /^https:\/\/registry\.modelcontextprotocol\.io$/, 0],
  ['the official one', '', /^https:\/\/registry\.modelcontextprotocol\.io$/, 0],
  ['an own one', 'https://mcp.corp.example/registry', /^https:\/\/mcp\.corp\.example\/registry$/, 0],
  ['no other scheme', 'file:///etc/passwd', /modelcontextprotocol/, 1],
  ['no nonsense', 'nonsense', /modelcontextprotocol/, 1],
])('searches %s: PORTICO_REGISTRY_URL=%s', (_what, own, expected, count) => {
  const warnings: string[] = []
  expect(registryUrl({ PORTICO_REGISTRY_URL: own }, (message) => warnings.push(message))).toMatch(expected)
  expect(warnings).toHaveLength(count)
})
