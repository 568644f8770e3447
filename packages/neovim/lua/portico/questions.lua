-- Approvals and questions as dialogs above everything else. The host says what would happen, in words and whole; an answer
-- counts only once all of it has been on the screen, and not in the moment in which the dialog appears under the fingers.
local form = require("portico.form")
local host = require("portico.host")
local portico = require("portico")
local text = require("portico.text")
local view = require("portico.view")

-- `open` is the dialog that is shown, `editing` is true while a form or the arguments of one are being filled in.
local M = { open = nil, editing = false }
local GUARD_MS = 500

local function float(buffer, height)
  local width = math.min(100, vim.o.columns - 6)
  local rows = math.max(3, math.min(height, vim.o.lines - 6))
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = "editor",
    width = width,
    height = rows,
    row = math.floor((vim.o.lines - rows) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    style = "minimal",
    border = "rounded",
  })
  vim.wo[window].wrap, vim.wo[window].winhighlight = true, "Normal:Normal"
  return window
end

local function answer(question, choice, content)
  M.editing = false
  question.taken = true
  local sent = vim.deepcopy(choice.answer)
  sent.content = content
  host.request("questions/answer", { id = question.id, digest = question.digest, answer = sent }, function(problem)
    if problem then
      text.notify(problem.message, vim.log.levels.WARN)
    end
  end)
  vim.schedule(M.next)
end

-- An object that a person may change, as JSON in a buffer: :w takes it, q leaves.
local function edit(question, choice)
  M.editing = true
  local buffer = vim.api.nvim_create_buf(false, true)
  local lines = text.lines(vim.json.encode(question.content))
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].modeline = "acwrite", "wipe", false
  vim.api.nvim_buf_set_name(buffer, view.name("edit", question.id))
  float(buffer, 10)
  text.notify("change the arguments, then :w to allow them; :q! leaves the question")
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    once = true,
    callback = function()
      M.editing = false
    end,
  })
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buffer,
    callback = function()
      local words = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
      local ok, content = pcall(vim.json.decode, words)
      if not ok or type(content) ~= "table" then
        return text.notify("this is not JSON yet", vim.log.levels.WARN)
      end
      vim.bo[buffer].modified = false
      vim.api.nvim_buf_delete(buffer, { force = true })
      answer(question, choice, next(content) and content or vim.empty_dict())
    end,
  })
end

local function choose(question, choice)
  if choice.needs == "form" then
    M.editing = true
    form.open({
      title = question.title,
      about = question.details,
      schema = question.form,
      float = float,
      send = function(values)
        answer(question, choice, values)
      end,
      leave = function()
        answer(question, { answer = { action = "cancel" } })
      end,
    })
  elseif choice.needs == "edit" then
    edit(question, choice)
  else
    answer(question, choice)
  end
end

local function lines_of(question, width)
  local lines = text.wrapped(question.title, width)
  for _, warning in ipairs(question.warnings or {}) do
    vim.list_extend(lines, text.wrapped("! " .. warning, width))
  end
  table.insert(lines, "")
  vim.list_extend(lines, text.wrapped(question.details, width))
  table.insert(lines, "")
  if question.memory then
    vim.list_extend(lines, text.wrapped("Always holds " .. question.memory.always .. ".", width))
  end
  return lines
end

-- One dialog. `M.open` is what is shown now.
local function show(question)
  local buffer = vim.api.nvim_create_buf(false, true)
  view.protect(buffer)
  vim.bo[buffer].bufhidden = "wipe"
  local lines = lines_of(question, math.min(100, vim.o.columns - 6))
  view.set(buffer, lines)
  local window = float(buffer, #lines + 2)
  local dialog = { question = question, buffer = buffer, ready = false, seen = 0 }
  M.open = dialog

  local function look()
    if vim.api.nvim_win_is_valid(window) then
      dialog.seen = math.max(dialog.seen, vim.fn.line("w$", window))
    end
  end

  local function close()
    M.open = nil
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end

  local words = {}
  for _, choice in ipairs(question.choices) do
    table.insert(words, "[" .. choice.key .. "] " .. choice.label)
    view.keys(buffer, {
      [choice.key] = function()
        look()
        if not dialog.ready then
          return
        end
        if choice.answer.action == "allow" and dialog.seen < vim.api.nvim_buf_line_count(buffer) then
          return text.notify("read it to the end first (G), then answer")
        end
        close()
        choose(question, choice)
      end,
    })
  end
  local function later()
    close()
    text.notify("the question waits: :Portico questions")
  end
  view.keys(buffer, { q = later, ["<Esc>"] = later })
  vim.api.nvim_create_autocmd({ "CursorMoved", "WinScrolled" }, { buffer = buffer, callback = look })
  vim.defer_fn(function()
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.bo[buffer].modifiable = true
      vim.api.nvim_buf_set_lines(buffer, -1, -1, false, text.wrapped(table.concat(words, "  ") .. "  [q] later", 100))
      vim.bo[buffer].modifiable = false
      dialog.ready = true
      vim.cmd("redraw")
      look()
    end
  end, GUARD_MS)
end

-- Shows the next question, where none is shown and nobody is typing.
function M.next()
  local question = vim.tbl_filter(function(one)
    return not one.taken
  end, host.questions)[1]
  if M.open or M.editing or not question then
    return
  end
  if vim.api.nvim_get_mode().mode ~= "n" then
    text.notify("a question waits: :Portico questions")
    return
  end
  show(question)
end

host.on(function(what, value)
  if what == "asked" and portico.settings.ask then
    M.next()
  elseif what == "gone" and M.open and M.open.question.id == value then
    vim.api.nvim_buf_delete(M.open.buffer, { force = true })
    M.open = nil
    M.next()
  elseif what == "closed" and M.open then
    vim.api.nvim_buf_delete(M.open.buffer, { force = true })
    M.open = nil
  end
end)

vim.api.nvim_create_autocmd("InsertLeave", {
  group = vim.api.nvim_create_augroup("portico_questions", { clear = true }),
  callback = function()
    if portico.settings.ask then
      vim.schedule(M.next)
    end
  end,
})

return M
