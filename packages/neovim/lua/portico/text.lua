-- Words of servers on their way to the screen. The host has written out everything that acts already; this is the second
-- lock, so that nothing depends on one side alone: no control characters, no directions of writing, no lines too many.
local M = {}

local function code(number)
  return string.format("⟦U+%04X⟧", number)
end

-- Characters outside of ASCII that hide or turn text around, as UTF-8 bytes.
local HIDDEN = {
  "\226\128[\139-\143]", -- U+200B to U+200F
  "\226\128[\168-\174]", -- U+2028 to U+202E
  "\226\129[\160-\175]", -- U+2060 to U+206F
  "\239\187\191", -- U+FEFF
  "\194[\128-\159]", -- U+0080 to U+009F
}

-- Tabs and new lines stay.
function M.plain(words)
  words = tostring(words):gsub("\r\n", "\n")
  words = words:gsub("[%z\1-\8\11-\31\127]", function(byte)
    return code(byte:byte())
  end)
  for _, pattern in ipairs(HIDDEN) do
    words = words:gsub(pattern, function(bytes)
      local ok, number = pcall(vim.fn.char2nr, bytes, 1)
      return code(ok and number or 0xFFFD)
    end)
  end
  return words
end

-- One line of at most so many characters.
function M.line(words, length)
  local line = M.plain(words):gsub("%s+", " ")
  length = length or 200
  if vim.fn.strchars(line) > length then
    line = vim.fn.strcharpart(line, 0, length - 1) .. "…"
  end
  return line
end

-- A list of lines, for a buffer.
function M.lines(words)
  return vim.split(M.plain(words), "\n", { plain = true })
end

-- Long lines folded at a width, nothing left out.
function M.wrapped(words, width)
  local folded = {}
  for _, line in ipairs(M.lines(words)) do
    line = line:gsub("\t", "  ")
    repeat
      local part = vim.fn.strcharpart(line, 0, width)
      table.insert(folded, part)
      line = line:sub(#part + 1)
    until line == ""
  end
  return folded
end

function M.notify(words, level)
  vim.notify("Portico: " .. M.line(words, 300), level or vim.log.levels.INFO)
end

return M
