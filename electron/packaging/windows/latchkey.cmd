@echo off
rem The command line of the installed app.
"%~dp0Latchkey.exe" --cli %*
exit /b %ERRORLEVEL%
