-- A form made from a schema: a buffer that shows every field; Enter changes one, s sends all of it.
local schema = require("portico.schema")
local text = require("portico.text")
local view = require("portico.view")

local M = {}
local FIRST = 5

-- `form` has title, about, schema, and send(values, as_task); `leave` is called where the person leaves without sending.
function M.open(form)
  local fields = schema.fields(form.schema)
  local buffer = vim.api.nvim_create_buf(false, true)
  view.protect(buffer)
  vim.bo[buffer].bufhidden = "wipe"
  local state = { problem = "", done = false }

  local function draw()
    local lines = { text.line(form.title), text.line(form.about or "", 400), "", "" }
    lines[4] = "Enter changes a field, s sends" .. (form.tasks and ", t sends as a task" or "") .. ", q leaves"
    for _, field in ipairs(fields) do
      local name = text.line(field.schema.title or field.name, 60)
      table.insert(lines, string.format("  %s (%s): %s", name, schema.hint(field), schema.shown(field.value)))
    end
    vim.list_extend(lines, { "", state.problem })
    view.set(buffer, lines)
  end

  local function close()
    state.done = true
    if vim.api.nvim_buf_is_valid(buffer) then
      vim.api.nvim_buf_delete(buffer, { force = true })
    end
  end

  local function set(field, value, problem)
    if state.done then
      return
    end
    state.problem = problem or ""
    if not problem then
      field.value = value
    end
    draw()
  end

  local function edit()
    local field = fields[vim.fn.line(".") - FIRST + 1]
    if not field then
      return
    end
    local label = text.line(field.schema.title or field.name, 60)
    local about = field.schema.description and text.line(field.schema.description, 120) .. "\n" or ""
    local choices = schema.choices(field.schema)
    if choices and #choices > 0 then
      vim.ui.select(choices, { prompt = about .. label, format_item = schema.shown }, function(value)
        if value ~= nil then
          set(field, value)
        end
      end)
    else
      local known = field.value ~= nil and (type(field.value) == "string" and field.value or vim.json.encode(field.value))
      vim.ui.input({ prompt = label .. ": ", default = known and text.line(known, 100000) or "" }, function(words)
        if words ~= nil then
          set(field, schema.read(field.schema, words))
        end
      end)
    end
  end

  local function send(as_task)
    local values, missing = schema.values(fields)
    if not values then
      state.problem = text.line(missing)
      return draw()
    end
    close()
    form.send(values, as_task)
  end

  draw()
  if form.float then
    form.float(buffer, #fields + FIRST + 2)
  else
    view.show(buffer, "botright " .. math.min(#fields + FIRST + 2, 20) .. "split")
  end
  view.keys(buffer, {
    ["<CR>"] = edit,
    s = function()
      send(false)
    end,
    t = function()
      if form.tasks then
        send(true)
      end
    end,
    q = close,
  })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buffer,
    once = true,
    callback = function()
      if not state.done and form.leave then
        form.leave()
      end
    end,
  })
  vim.api.nvim_win_set_cursor(0, { math.min(FIRST, vim.api.nvim_buf_line_count(buffer)), 0 })
  return close
end

return M
