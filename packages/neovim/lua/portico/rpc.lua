-- JSON-RPC with `portico host`, one message on each line of its standard streams.
local text = require("portico.text")

local Rpc = {}
Rpc.__index = Rpc

local MAX_LINE = 32 * 1024 * 1024

-- `on` has `request(method, params)`, `notify(method, params)` and `closed(code, last words)`.
function Rpc.start(command, folder, on)
  local self = setmetatable({ last = 0, waiting = {}, rest = "", words = "", on = on }, Rpc)
  local ok, job = pcall(vim.fn.jobstart, command, {
    cwd = folder,
    on_stdout = function(_, chunks)
      self:take(chunks)
    end,
    on_stderr = function(_, chunks)
      -- What it says goes to nobody unless it ends: then the last of it is the reason.
      self.words = (self.words .. table.concat(chunks, "\n")):sub(-2000)
    end,
    on_exit = function(_, status)
      self:ended(status)
    end,
  })
  if not ok or job <= 0 then
    return nil
  end
  self.job = job
  return self
end

function Rpc:take(chunks)
  -- The first piece goes on with what was left, the last one is not complete yet.
  chunks[1] = self.rest .. chunks[1]
  self.rest = table.remove(chunks)
  if #self.rest > MAX_LINE then
    self:stop()
    return
  end
  for _, line in ipairs(chunks) do
    local ok, message = pcall(vim.json.decode, line, { luanil = { object = true, array = true } })
    if ok and type(message) == "table" then
      local handled, problem = pcall(self.handle, self, message)
      if not handled then
        text.notify(problem, vim.log.levels.ERROR)
      end
    end
  end
end

function Rpc:handle(message)
  if message.method and message.id then
    self:answer(message)
  elseif message.method then
    self.on.notify(message.method, message.params or {})
  else
    local done = self.waiting[message.id]
    self.waiting[message.id] = nil
    if done then
      done(message.error, message.result or {})
    end
  end
end

function Rpc:answer(message)
  local ok, result = pcall(self.on.request, message.method, message.params or {})
  if ok and result ~= nil then
    self:send({ id = message.id, result = result })
  else
    self:send({ id = message.id, error = { code = -32000, message = "The editor does not have this" } })
  end
end

function Rpc:send(message)
  if self.job then
    message.jsonrpc = "2.0"
    vim.fn.chansend(self.job, vim.json.encode(message) .. "\n")
  end
end

-- `done(error, result)` is called once. Returns the id, to cancel it by.
function Rpc:request(method, params, done)
  self.last = self.last + 1
  local id = self.last
  self.waiting[id] = done or function() end
  self:send({ id = id, method = method, params = params or vim.empty_dict() })
  return id
end

function Rpc:notify(method, params)
  self:send({ method = method, params = params })
end

function Rpc:ended(status)
  if not self.job then
    return
  end
  self.job = nil
  local waiting = self.waiting
  self.waiting = {}
  for _, done in pairs(waiting) do
    done({ message = "The host has ended" }, {})
  end
  self.on.closed(status, self.words)
end

function Rpc:stop()
  if self.job then
    -- It ends by itself when its input does, and takes its servers along.
    vim.fn.chanclose(self.job, "stdin")
  end
end

return Rpc
