-- What a hostile host or server can do to Neovim: nothing. Run headless; prints one line for each thing that is wrong.
local wrong = 0
local function check(what, holds)
  if not holds then
    wrong = wrong + 1
    io.stdout:write("WRONG " .. what .. "\n")
  end
end
local function wait(what, test)
  check(what, vim.wait(20000, test, 20))
end

local host = require("portico.host")
local commands = require("portico.commands")
local questions = require("portico.questions")
local view = require("portico.view")

vim.cmd("Portico")
wait("everything is listed", function()
  return #host.servers == 8 and #host.items == 24
end)
wait("the question is shown", function()
  return questions.open ~= nil
end)

-- A yes before the end has been on the screen is none, nor one in the moment of its appearing.
local dialog = questions.open
local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "x", false)
end
press("y")
check("a key in the first moment is no answer", questions.open == dialog)
wait("the choices appear", function()
  return dialog.ready
end)
press("y")
check("a yes before the end was seen is no answer", questions.open == dialog)
local words = table.concat(vim.api.nvim_buf_get_lines(dialog.buffer, 0, -1, false), "\n")
check("the whole is in the dialog", select(2, words:gsub("touch owned", "")) >= 400)
press("G")
vim.cmd("redraw")
press("y")
check("a yes after the end was seen is one", questions.open ~= dialog)
wait("the host has the answer", function()
  for _, task in ipairs(host.tasks) do
    if task.label == "answered" and task.status == "allow" then
      return true
    end
  end
end)

for _, item in ipairs(host.items) do
  local word = ({ tool = "call", resource = "read", prompt = "prompt" })[item.kind]
  check("using " .. word, pcall(commands.act, word, item.name))
  vim.wait(50)
  pcall(press, "s")
  pcall(press, "q")
end
commands.act("ask", "hello")
commands.act("tasks")
vim.wait(500)
check("completion gives no name that would be taken apart", #commands.complete("", "Portico call ") > 0)
for _, name in ipairs(commands.complete("", "Portico call ")) do
  check("completion " .. name:sub(1, 20), not name:find("[%s%c]"))
end

for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
  local all = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  check("no control characters in " .. vim.api.nvim_buf_get_name(buffer), not all:find("[%z\1-\8\11-\31\127]"))
  check("no turned text", not all:find("\226\128\174"))
  check("no modeline acted", vim.bo[buffer].tabstop == 8)
  check("no file type", vim.bo[buffer].filetype == "")
  check("plain names", not vim.api.nvim_buf_get_name(buffer):find("[%c|`%s]"))
end
check("nothing ran", vim.g.owned == nil and vim.fn.filereadable("owned") == 0)
check("names of buffers", view.name("resource", "a|b\n`c` %{d}") == "portico://resource/a%7Cb%0A%60c%60%20%25%7Bd%7D")
check("the editor gives no file that is not open", require("portico.editor").answer("editor/text", { path = "../../etc/passwd" }) == nil)

-- The host dies: no error, and everything is put away.
vim.fn.jobstop(host.rpc.job)
wait("the end is noticed", function()
  return host.rpc == nil and #host.servers == 0
end)
io.stdout:write(wrong == 0 and "ALL HOLDS\n" or "")
vim.cmd("qall!")
