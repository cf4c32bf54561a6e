@echo off
rem Starts the built plugin. Stdout belongs to the plugin: its first line is the port.
setlocal
set "root=%~dp0.."
if not exist "%root%\dist\plugin.cjs" (
  echo pulumi-resource-docsign: dist\plugin.cjs is missing; run 'npm run build' in %root% 1>&2
  exit /b 1
)
set "node=node"
if exist "%root%\dist\.node-path" (
  set /p recorded=<"%root%\dist\.node-path"
)
if defined recorded if exist "%recorded%" set "node=%recorded%"
"%node%" --max-semi-space-size=2 "%root%\dist\plugin.cjs" %*
exit /b %errorlevel%
