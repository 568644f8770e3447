/** The JSON-RPC error codes that MCP itself defines, per the error-code policy of 2026-07-28 (basic, "Error Codes"). */

export const RESOURCE_NOT_FOUND = -32002
export const HEADER_MISMATCH = -32020
export const MISSING_CLIENT_CAPABILITY = -32021
export const UNSUPPORTED_VERSION = -32022
export const URL_ELICITATION_REQUIRED = -32042
