# A server with the methods of the oldest document alone: no templates, no ping, no completion, no version of its own.
import json, sys

def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": "2024-11-05", "serverInfo": {"name": "oldest"}, "capabilities": {"tools": {}, "resources": {}, "prompts": {}}}
    if method == "tools/list":
        return {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": str(sum(params["arguments"].values()))}]}
    if method == "resources/list":
        return {"resources": [{"uri": "note://1", "name": "note"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": "hello"}]}

for line in sys.stdin:
    message = json.loads(line)
    result = answer(message["method"], message.get("params", {})) if "id" in message else None
    found = {"result": result} if result else {"error": {"code": -32601, "message": "Method not found"}}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **found}), flush=True)
