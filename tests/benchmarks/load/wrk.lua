-- Script for wrk that sends the prepared requests in turn and checks every response.
-- Arguments: a file of requests (one per line: token, tab, body), and the settings as name=value.

local ffi = require('ffi')
ffi.cdef 'int poll(void *files, unsigned long count, int milliseconds);'

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local mark = '########'
local heads, tails, queue = {}, {}, {}
local settings = {}
local position, number, most, queue_first, queue_last = 0, 0, 0, 1, 0

responses, wrong, first_wrong = 0, 0, ''

local function build(token, body)
  local lines = { settings.method .. ' ' .. settings.path .. ' HTTP/1.1', 'Host: ' .. settings.host }
  if token ~= '' then table.insert(lines, 'Authorization: Bearer ' .. token) end
  if body ~= '' then
    table.insert(lines, 'Content-Type: application/json')
    table.insert(lines, 'Content-Length: ' .. #body)
  end
  return table.concat(lines, '\r\n') .. '\r\n\r\n' .. body
end

local function enqueue(value)
  queue_last = queue_last + 1
  queue[queue_last] = value
end

function init(arguments)
  for index = 2, #arguments do
    local name, value = arguments[index]:match('^(%w+)=(.*)$')
    settings[name] = value
  end
  number = tonumber(settings.firstNumber)
  most = tonumber(settings.most)
  for line in io.lines(arguments[1]) do
    local token, body = line:match('^([^\t]*)\t(.*)$')
    if settings.carry ~= '' then
      enqueue(body:match('"' .. settings.carry .. '":"([^"]*)"'))
    else
      local request = build(token, body)
      local from, to = request:find(mark, 1, true)
      table.insert(heads, from and request:sub(1, from - 1) or request)
      table.insert(tails, from and request:sub(to + 1) or false)
    end
  end
end

-- Node accepts one connection per turn of its event loop. If earlier connections were busy already, the last of 64 would
-- wait for a tenth of a second, which is not to be measured, so the first request waits until all are accepted.
local accepting_ms = 30
-- wrk calls request() once before it connects.
local calls_before_load = 1

function request()
  if calls_before_load >= 0 then
    if calls_before_load == 0 then ffi.C.poll(nil, 0, accepting_ms) end
    calls_before_load = calls_before_load - 1
  end
  if settings.carry ~= '' then
    local value = queue[queue_first]
    queue[queue_first] = nil
    queue_first = queue_first + 1
    -- The queue is empty if responses were wrong.
    return build('', '{"' .. settings.carry .. '":"' .. (value or '') .. '"}')
  end
  position = position % #heads + 1
  local tail = tails[position]
  if not tail then return heads[position] end
  number = number + 1
  return heads[position] .. string.format('%08X', number) .. tail
end

function response(status, headers, body)
  responses = responses + 1
  if responses == most then
    wrk.thread:stop()
    -- wrk itself would keep waiting until its time is up.
    io.write('enough\n')
    io.flush()
  end
  if status ~= 200 or not body:find(settings.marker, 1, true) then
    wrong = wrong + 1
    if wrong == 1 then first_wrong = status .. ' ' .. body:sub(1, 300) end
  elseif settings.carry ~= '' then
    enqueue(body:match('"' .. settings.carry .. '":"([^"]*)"'))
  end
end

function done(summary, latency)
  local thread, errors = threads[1], summary.errors
  io.write('\n', 'result ', thread:get('responses'), ' ', summary.duration / 1e6)
  for _, part in ipairs({ 50, 99, 99.9 }) do io.write(' ', latency:percentile(part) / 1000) end
  io.write(' ', thread:get('wrong'), ' ', errors.connect + errors.read + errors.write + errors.timeout, '\n')
  io.write('first wrong ', (thread:get('first_wrong'):gsub('%s+', ' ')), '\n')
end
