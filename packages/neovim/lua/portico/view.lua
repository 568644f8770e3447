-- Buffers of our own: never files, never modelines, never file types, so that what servers write is text and nothing else.
local text = require("portico.text")

local M = {}

-- A name that says whose it is; everything but plain characters is written as %XX.
function M.name(kind, words)
  local safe = words:gsub("[^%w%._~:/%-]", function(byte)
    return string.format("%%%02X", byte:byte())
  end)
  return "portico://" .. kind .. (safe == "" and "" or "/" .. safe)
end

-- The buffer of this name, made where there is none.
function M.buffer(name)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == name then
      return buffer, false
    end
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, name)
  M.protect(buffer)
  return buffer, true
end

function M.protect(buffer)
  local bo = vim.bo[buffer]
  bo.buftype, bo.bufhidden, bo.swapfile, bo.undofile = "nofile", "hide", false, false
  bo.modeline, bo.modifiable = false, false
end

-- Replaces all lines, which hold no new line characters.
function M.set(buffer, lines)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

function M.append(buffer, words)
  local last = vim.api.nvim_buf_get_lines(buffer, -2, -1, false)[1] or ""
  local lines = text.lines(words)
  lines[1] = last .. lines[1]
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, -2, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
  end
end

-- Shows a buffer where it is seen already, else in a new window.
function M.show(buffer, split)
  local window = vim.fn.bufwinid(buffer)
  if window == -1 then
    vim.cmd(split or "botright split")
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, buffer)
    vim.wo[window].wrap, vim.wo[window].list = true, false
  end
  vim.api.nvim_set_current_win(window)
  return window
end

function M.keys(buffer, keys)
  for key, act in pairs(keys) do
    vim.keymap.set("n", key, act, { buffer = buffer, nowait = true, silent = true })
  end
end

local function word(value)
  return type(value) == "string" and value or ""
end

local function words_of(block)
  if type(block) ~= "table" then
    return "[data]"
  end
  local inner = type(block.resource) == "table" and block.resource.text or nil
  local words = type(block.text) == "string" and block.text or inner
  return type(words) == "string" and words
    or "[" .. word(block.type) .. " " .. word(block.mimeType) .. " " .. word(block.uri) .. "]"
end

-- What a result or a resource says, block by block, as lines.
function M.content(blocks)
  local lines = {}
  for _, block in ipairs(type(blocks) == "table" and blocks or {}) do
    vim.list_extend(lines, text.lines(words_of(block)))
  end
  return #lines > 0 and lines or { "(nothing)" }
end

function M.show_result(title, result)
  local buffer = M.buffer("portico://result")
  local lines = { text.line(title), result.isError and "It failed:" or "", "" }
  vim.list_extend(lines, M.content(result.content))
  M.set(buffer, lines)
  local from = vim.api.nvim_get_current_win()
  M.show(buffer, "botright 10split")
  M.keys(buffer, { q = "<cmd>close<cr>" })
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if vim.api.nvim_win_is_valid(from) then
    vim.api.nvim_set_current_win(from)
  end
end

return M
