import { expect, test } from 'vitest'
import { whyOf } from './foreign-client.ts'

const NODE = `node:internal/modules/esm/resolve:857
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'my-sdk' imported from /home/ada/my-client.mjs
${'    at defaultResolve (node:internal/modules/esm/resolve:946:18)\n'.repeat(20)}`

test.each([
  [NODE, /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'my-sdk'/],
  [
    'Traceback:\n  File "a.py", line 1\nModuleNotFoundError: No module named "mcp"\n',
    /^ModuleNotFoundError: No module/,
  ],
  ['usage: my-client <url>\n', /^usage: my-client <url>$/],
  ['', /^$/],
])('why a program failed is the line that names the error, wherever it stands', (said, why) => {
  expect(whyOf(said)).toMatch(why)
})
