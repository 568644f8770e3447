-- A conversation with a model, in a buffer that follows it. What it does is asked about like everything else.
local host = require("portico.host")
local text = require("portico.text")
local view = require("portico.view")

local M = { calls = {} }
local CONVERSATION = "neovim"

local function buffer()
  return view.buffer("portico://chat")
end

local function say(words)
  view.append(buffer(), words)
end

-- `words` are the person's; `context` are lines of theirs that go along.
function M.ask(words, context)
  local from = vim.api.nvim_get_current_win()
  view.show(buffer(), "botright vsplit")
  view.keys(buffer(), { q = "<cmd>close<cr>" })
  if vim.api.nvim_win_is_valid(from) then
    vim.api.nvim_set_current_win(from)
  end
  say("> " .. words .. "\n\n")
  local whole = context and words .. "\n\n" .. context or words
  M.turn = host.request("turn/start", { conversation = CONVERSATION, text = whole }, function(problem)
    M.turn = nil
    if problem then
      say("error: " .. text.plain(problem.message) .. "\n\n")
    end
  end)
end

function M.cancel()
  host.cancel(M.turn)
end

local SHOW = {
  text = function(event)
    say(event.delta)
  end,
  ["text-end"] = function()
    say("\n")
  end,
  call = function(event)
    local call = event.call
    -- Each state once: progress comes often.
    if M.calls[call.id] ~= call.status then
      M.calls[call.id] = call.status
      say("[" .. text.line(call.server .. " " .. call.name, 80) .. ": " .. call.status .. "]\n")
    end
  end,
  notice = function(event)
    say("[" .. text.line(event.text, 300) .. "]\n")
  end,
  task = function(event)
    say("[task " .. event.label .. " is over" .. (event.problem and ": " .. event.problem or "") .. "]\n")
    M.turn = host.request("turn/proceed", { conversation = CONVERSATION }, function()
      M.turn = nil
    end)
  end,
  ["end"] = function(event)
    M.calls = {}
    say((event.error and "error: " .. event.error or "(" .. event.reason .. ")") .. "\n\n")
  end,
}

host.on(function(what, value)
  if what == "turn" and SHOW[value.event.type] then
    SHOW[value.event.type](value.event)
  end
end)

return M
