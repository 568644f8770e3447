import json, sys
CAPABILITIES = {'tools': {}, 'resources': {}, 'prompts': {}}
ADD = {'type': 'object', 'properties': {'a': {'type': 'number'}, 'b': {'type': 'number'}}}
METHODS = {
    'initialize': lambda p: {'protocolVersion': '2024-11-05', 'capabilities': CAPABILITIES, 'serverInfo': {'name': 'oldest', 'version': '1'}},
    'tools/list': lambda p: {'tools': [{'name': 'add', 'description': 'Adds two numbers', 'inputSchema': ADD}]},
    'tools/call': lambda p: {'content': [{'type': 'text', 'text': str(p['arguments']['a'] + p['arguments']['b'])}]},
    'resources/list': lambda p: {'resources': [{'uri': 'note://today', 'name': 'today', 'mimeType': 'text/plain'}]},
    'resources/read': lambda p: {'contents': [{'uri': p['uri'], 'mimeType': 'text/plain', 'text': 'the note of today'}]},
    'prompts/list': lambda p: {'prompts': [{'name': 'greet', 'arguments': [{'name': 'who', 'required': True}]}]},
    'prompts/get': lambda p: {'messages': [{'role': 'user', 'content': {'type': 'text', 'text': 'Greet ' + p['arguments']['who']}}]},
}
for line in sys.stdin:
    message = json.loads(line)
    if 'id' not in message or 'method' not in message:
        continue
    method = METHODS.get(message['method'])
    reply = {'error': {'code': -32601, 'message': 'Method not found'}} if method is None else {'result': method(message.get('params', {}))}
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], **reply}), flush=True)
