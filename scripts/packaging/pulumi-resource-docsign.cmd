@echo off
rem Starts the docsign plugin under the Node on PATH. Stdout belongs to the plugin: its first line is the port.
setlocal
if not defined NODE_COMPILE_CACHE set "NODE_COMPILE_CACHE=%~dp0.compile-cache"
where /q node
if errorlevel 1 (
  echo pulumi-resource-docsign: Node 22.19 or newer is needed, and there is no 'node' on PATH; install one from nodejs.org 1>&2
  exit /b 1
)
node --max-semi-space-size=2 "%~dp0start.cjs" %*
exit /b %errorlevel%
