/**
 * `@portico/sdk/internal-text`: of what the packages of one release need of this one, the part that works on texts alone
 * and runs in a browser as it is; the page of the workbench takes it too. Nothing here is a promise: any release may change it.
 */

export { parseTemplate } from '../schema/uri-template/uri-template.ts'
export { type DifferenceRun, differenceOf } from '../text/difference.ts'
export { escapeHtml } from '../text/escape-html.ts'
export { replaceHidden, type Strictness, showHidden, toCode, toCodes } from '../text/hidden-characters.ts'
export { replaceUserInfo } from '../text/user-info.ts'
export { replaceWebTokens } from '../text/web-tokens.ts'
